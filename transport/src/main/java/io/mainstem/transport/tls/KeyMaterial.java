package io.mainstem.transport.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The broker's key and certificates, read and checked: they belong together and are valid now. Thread: any; reads files.
 *
 * @param chain the broker's own certificate first
 */
record KeyMaterial(PrivateKey key, List<X509Certificate> chain) {
    private static final int DER_SEQUENCE = 0x30;
    private static final Pattern PEM = Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");
    private static final List<String> KEY_ALGORITHMS = List.of("RSA", "EC", "EdDSA");

    static KeyMaterial read(TlsConfig config, InstantSource clock) throws TlsException {
        Path file = config.certificateFile();
        byte[] content = bytes(file);
        char[] password = config.passwordFile() == null ? new char[0] : password(config.passwordFile());
        KeyMaterial material;
        if (content.length > 0 && content[0] == DER_SEQUENCE) {
            material = pkcs12(file, content, password);
        } else {
            Path keyFile = config.keyFile() == null ? file : config.keyFile();
            material = new KeyMaterial(key(keyFile, password), certificates(file));
            material.checkPair(keyFile, file);
        }
        material.checkDates(file, clock);
        return material;
    }

    // ---- files -----------------------------------------------------------------------------------------------

    private static byte[] bytes(Path file) throws TlsException {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new TlsException(file, "does not exist", "correct the path under tls in the configuration.", e);
        } catch (IOException e) {
            throw new TlsException(file, "cannot be read: " + e, "let the user that runs the broker read it.", e);
        }
    }

    private static char[] password(Path file) throws TlsException {
        String text = new String(bytes(file), StandardCharsets.UTF_8);
        return text.lines().findFirst().orElse("").toCharArray();
    }

    /** PEM certificates, at least one. */
    static List<X509Certificate> certificates(Path file) throws TlsException {
        try {
            List<X509Certificate> chain = new ArrayList<>();
            Matcher blocks = PEM.matcher(new String(bytes(file), StandardCharsets.US_ASCII));
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            while (blocks.find()) {
                if (blocks.group(1).endsWith("CERTIFICATE")) {
                    chain.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(decode(blocks))));
                }
            }
            if (!chain.isEmpty()) {
                return chain;
            }
        } catch (CertificateException | IllegalArgumentException e) {
            throw new TlsException(file, "holds a damaged certificate: " + e.getMessage(), "export it again.", e);
        }
        throw new TlsException(
                file,
                "holds no certificate",
                "give a PEM file with -----BEGIN CERTIFICATE-----, or a PKCS #12 file.",
                null);
    }

    private static byte[] decode(Matcher block) {
        return Base64.getMimeDecoder().decode(block.group(2));
    }

    private static PrivateKey key(Path file, char[] password) throws TlsException {
        Matcher blocks = PEM.matcher(new String(bytes(file), StandardCharsets.US_ASCII));
        while (blocks.find()) {
            String kind = blocks.group(1);
            if (kind.equals("PRIVATE KEY")) {
                return key(file, new PKCS8EncodedKeySpec(decode(blocks)));
            }
            if (kind.equals("ENCRYPTED PRIVATE KEY")) {
                return key(file, decrypt(file, decode(blocks), password));
            }
            if (kind.endsWith("PRIVATE KEY")) {
                throw new TlsException(
                        file,
                        "holds a key in an old format (" + kind + ")",
                        "convert it: openssl pkcs8 -topk8 -nocrypt -in " + file + " -out NEW.",
                        null);
            }
            // Certificates and parameters may stand in the same file.
        }
        throw new TlsException(
                file,
                "holds no private key",
                "give a PEM file with -----BEGIN PRIVATE KEY----- as tls.key-file.",
                null);
    }

    private static PKCS8EncodedKeySpec decrypt(Path file, byte[] encrypted, char[] password) throws TlsException {
        try {
            EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(encrypted);
            // With PBES2 the scheme is in the parameters, whose text is its name.
            String scheme = "1.2.840.113549.1.5.13".equals(info.getAlgName()) || "PBES2".equals(info.getAlgName())
                    ? info.getAlgParameters().toString()
                    : info.getAlgName();
            Cipher cipher = Cipher.getInstance(scheme);
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    SecretKeyFactory.getInstance(scheme).generateSecret(new PBEKeySpec(password)),
                    info.getAlgParameters());
            return info.getKeySpec(cipher);
        } catch (GeneralSecurityException | IOException e) {
            throw new TlsException(
                    file,
                    "cannot be decrypted: " + e.getMessage(),
                    "put its password into a file and name that as tls.password-file.",
                    e);
        }
    }

    private static PrivateKey key(Path file, PKCS8EncodedKeySpec spec) throws TlsException {
        for (String algorithm : KEY_ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (InvalidKeySpecException otherKind) {
                // The next one may be it.
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("every Java platform we run on has " + algorithm, e);
            }
        }
        throw new TlsException(file, "holds a key of an unknown kind", "use RSA, EC or Ed25519.", null);
    }

    private static KeyMaterial pkcs12(Path file, byte[] content, char[] password) throws TlsException {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(new ByteArrayInputStream(content), password);
            for (String alias : Collections.list(store.aliases())) {
                if (store.isKeyEntry(alias)) {
                    return new KeyMaterial(
                            (PrivateKey) store.getKey(alias, password), chain(store.getCertificateChain(alias)));
                }
            }
        } catch (GeneralSecurityException | IOException e) {
            throw new TlsException(
                    file,
                    "cannot be opened: " + e.getMessage(),
                    "put its password into a file and name that as tls.password-file.",
                    e);
        }
        throw new TlsException(file, "holds no private key", "export key and certificate together.", null);
    }

    private static List<X509Certificate> chain(Certificate @Nullable [] certificates) {
        List<X509Certificate> chain = new ArrayList<>();
        for (Certificate certificate : certificates == null ? new Certificate[0] : certificates) {
            chain.add((X509Certificate) certificate);
        }
        return chain;
    }

    // ---- checks ----------------------------------------------------------------------------------------------

    private void checkPair(Path keyFile, Path certificateFile) throws TlsException {
        byte[] probe = "mainstem".getBytes(StandardCharsets.US_ASCII);
        try {
            String algorithm = signatureAlgorithm();
            Signature signer = Signature.getInstance(algorithm);
            signer.initSign(key);
            signer.update(probe);
            byte[] signature = signer.sign();
            Signature verifier = Signature.getInstance(algorithm);
            verifier.initVerify(chain.get(0).getPublicKey());
            verifier.update(probe);
            if (verifier.verify(signature)) {
                return;
            }
        } catch (GeneralSecurityException otherKind) {
            throw notAPair(keyFile, certificateFile, otherKind);
        }
        throw notAPair(keyFile, certificateFile, null);
    }

    private String signatureAlgorithm() {
        return switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> "EdDSA";
        };
    }

    private static TlsException notAPair(Path keyFile, Path certificateFile, @Nullable Throwable cause) {
        return new TlsException(
                keyFile,
                "is not the key of the first certificate in " + certificateFile,
                "put the broker's own certificate first, and name its key.",
                cause);
    }

    private void checkDates(Path file, InstantSource clock) throws TlsException {
        X509Certificate own = chain.get(0);
        String subject = own.getSubjectX500Principal().getName();
        try {
            own.checkValidity(Date.from(clock.instant()));
        } catch (CertificateExpiredException e) {
            throw new TlsException(
                    file, "has expired: " + subject + " was valid until " + own.getNotAfter(), "renew it.", e);
        } catch (CertificateNotYetValidException e) {
            throw new TlsException(
                    file,
                    "is not valid yet: " + subject + " is from " + own.getNotBefore() + " on",
                    "wait, or set the clock.",
                    e);
        }
    }
}
