package io.mainstem.jms;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import jakarta.jms.Message;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.jar.JarFile;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The API's jar against the provider: every interface that a provider implements, with every method. */
final class ApiCoverageTest {
    /** What applications and application servers implement, and a holder of constants. */
    private static final Set<String> OF_OTHERS = Set.of(
            "CompletionListener",
            "DeliveryMode",
            "ExceptionListener",
            "MessageListener",
            "ServerSession",
            "ServerSessionPool");

    private final JavaClasses provider = new ClassFileImporter()
            .withImportOption(new ArchitectureTest.MainClasses())
            .importPackages("io.mainstem.jms");

    @Test
    @DisplayName("Every interface of the API is implemented, but those named here")
    void everyInterfaceIsImplemented() throws Exception {
        List<String> missing = new ArrayList<>();
        for (Class<?> type : interfacesOfTheApi()) {
            if (implementations(type).isEmpty()) {
                missing.add(type.getSimpleName());
            }
        }

        assertThat(missing).containsExactlyInAnyOrderElementsOf(OF_OTHERS);
    }

    @Test
    @DisplayName("Every method of the API has a body in each class that implements it")
    void everyMethodHasABody() throws Exception {
        int methods = 0;
        List<String> without = new ArrayList<>();
        for (Class<?> type : interfacesOfTheApi()) {
            for (JavaClass implementation : implementations(type)) {
                for (Method method : type.getMethods()) {
                    methods++;
                    Method body = implementation.reflect().getMethod(method.getName(), method.getParameterTypes());
                    if (Modifier.isAbstract(body.getModifiers())) {
                        without.add(implementation.getName() + "." + method.getName());
                    }
                }
            }
        }

        assertThat(without).isEmpty();
        assertThat(methods).isGreaterThan(500);
    }

    private List<JavaClass> implementations(Class<?> type) {
        return provider.stream()
                .filter(candidate -> !candidate.isInterface()
                        && !candidate.getModifiers().contains(JavaModifier.ABSTRACT)
                        && candidate.isAssignableTo(type))
                .toList();
    }

    private static List<Class<?>> interfacesOfTheApi() throws IOException, URISyntaxException, ClassNotFoundException {
        Path jar = Path.of(Message.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<Class<?>> interfaces = new ArrayList<>();
        try (JarFile file = new JarFile(jar.toFile())) {
            for (String name : file.stream()
                    .map(entry -> entry.getName())
                    .filter(n -> n.endsWith(".class"))
                    .toList()) {
                if (name.startsWith("jakarta/jms/")) {
                    Class<?> type =
                            Class.forName(name.replace('/', '.').substring(0, name.length() - ".class".length()));
                    if (type.isInterface() && !type.isAnnotation()) {
                        interfaces.add(type);
                    }
                }
            }
        }
        assertThat(interfaces).hasSizeGreaterThan(40);
        return interfaces;
    }
}
