package io.mainstem.conformance;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Conformance tests are black box: they start a broker and then speak to it over sockets. */
@AnalyzeClasses(packages = "io.mainstem.conformance")
final class ArchitectureTest {
    @ArchTest
    static final ArchRule conformanceLooksFromOutside = noClasses()
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                            "io.mainstem.store..",
                            "io.mainstem.routing..",
                            "io.mainstem.transport..",
                            "io.mainstem.amqp..")
                    // Makes certificates for tests, and is no part of any broker.
                    .and(not(name("io.mainstem.transport.TestCertificate"))))
            .because("the same tests must run against any broker");

    @ArchTest
    static final ArchRule packagesFormNoCycle =
            slices().matching("io.mainstem.(**)").should().beFreeOfCycles();
}
