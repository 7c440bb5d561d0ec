package io.mainstem.jms;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What the client jar may know: no module of the broker, few others. */
@AnalyzeClasses(packages = "io.mainstem.jms", importOptions = ArchitectureTest.MainClasses.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule theClientCarriesNoBrokerCode = classes()
            .that()
            .resideInAPackage("io.mainstem.jms..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "javax.naming..",
                    "javax.net..",
                    "javax.security..",
                    "javax.crypto..",
                    "javax.transaction.xa..",
                    "jakarta.jms..",
                    "org.slf4j..",
                    "org.jspecify..",
                    "com.google.errorprone.annotations..",
                    "io.micrometer.core.instrument..",
                    "io.netty..",
                    "org.apache.qpid.proton..",
                    "io.mainstem.jms..");

    @ArchTest
    static final ArchRule micrometerIsKnownToItsBinderOnly = noClasses()
            .that()
            .doNotHaveSimpleName("MainstemJmsMetrics")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.micrometer..");

    @ArchTest
    static final ArchRule messagesKnowNoSessionAndNoTransport = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.mainstem.jms.message..", "io.mainstem.jms.destination..", "io.mainstem.jms.options..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.mainstem.jms",
                    "io.mainstem.jms.session..",
                    "io.mainstem.jms.delivery..",
                    "io.mainstem.jms.connection..",
                    "io.mainstem.jms.link..",
                    "io.mainstem.jms.amqp..",
                    "io.netty..");

    @ArchTest
    static final ArchRule theCoreKnowsLinksAndNoTransport = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.mainstem.jms.session..",
                    "io.mainstem.jms.delivery..",
                    "io.mainstem.jms.transaction..",
                    "io.mainstem.jms.connection..",
                    "io.mainstem.jms.error..",
                    "io.mainstem.jms.link..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.mainstem.jms",
                    "io.mainstem.jms.amqp..",
                    "io.mainstem.jms.failover..",
                    "io.netty..",
                    "org.apache.qpid.proton..");

    @ArchTest
    static final ArchRule packagesFormNoCycle =
            slices().matching("io.mainstem.(**)").should().beFreeOfCycles();

    /** Leaves out test classes, in {@code target} and in {@code target/fast}. */
    static final class MainClasses implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/test-classes/");
        }
    }
}
