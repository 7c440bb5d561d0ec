package io.mainstem.transport;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A key and a certificate that vouches for itself, made by the JDK's keytool for one test. */
public final class TestCertificate {
    /** Of the PKCS #12 file. */
    public static final String PASSWORD = "changeit";

    private final Path pkcs12;
    private final KeyStore store;

    private TestCertificate(Path pkcs12) throws IOException, GeneralSecurityException {
        this.pkcs12 = pkcs12;
        this.store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(pkcs12)) {
            store.load(in, PASSWORD.toCharArray());
        }
    }

    /** Valid for 127.0.0.1 and localhost, from yesterday for ten days. */
    public static TestCertificate make(Path folder, String commonName) {
        return make(folder, commonName, "-1d", 10);
    }

    /** @param start such as {@code -10d} */
    public static TestCertificate make(Path folder, String commonName, String start, int days) {
        return make(folder, commonName, "ip:127.0.0.1,dns:localhost", start, days);
    }

    /** Valid for other hosts than the one it will be found on, from yesterday for ten days. */
    public static TestCertificate ofAnotherHost(Path folder, String commonName) {
        return make(folder, commonName, "dns:elsewhere.example", "-1d", 10);
    }

    private static TestCertificate make(Path folder, String commonName, String hosts, String start, int days) {
        try {
            Path file = Files.createTempDirectory(folder, "certificate").resolve("own.p12");
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair"));
            command.addAll(List.of("-alias", "own", "-keyalg", "EC", "-groupname", "secp256r1"));
            command.addAll(List.of("-dname", "CN=" + commonName, "-ext", "san=" + hosts));
            command.addAll(List.of("-startdate", start, "-validity", String.valueOf(days)));
            command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore", file.toString()));
            Process keytool =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (keytool.waitFor() != 0) {
                throw new AssertionError(output);
            }
            return new TestCertificate(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Key and certificate in one file. */
    public Path pkcs12() {
        return pkcs12;
    }

    /** The certificate alone. */
    public Path certificatePem() {
        try {
            return pem(
                    "certificate.pem",
                    "CERTIFICATE",
                    store.getCertificate("own").getEncoded());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** The key alone, not encrypted. */
    public Path keyPem() {
        try {
            return pem(
                    "key.pem",
                    "PRIVATE KEY",
                    store.getKey("own", PASSWORD.toCharArray()).getEncoded());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** A file with the password. */
    public Path passwordFile() {
        return write("password", PASSWORD + "\n");
    }

    private Path pem(String name, String kind, byte[] der) {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return write(name, "-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n");
    }

    private Path write(String name, String text) {
        try {
            return Files.writeString(pkcs12.resolveSibling(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** For a client that trusts this certificate, and shows the other one if there is one. */
    public SSLContext trusting(TestCertificate shown) {
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("peer", store.getCertificate("own"));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            if (shown != null) {
                keys.init(shown.store, PASSWORD.toCharArray());
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(shown == null ? null : keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError(e);
        }
    }
}
