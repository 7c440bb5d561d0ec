package io.mainstem.routing;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.mainstem.store.RecordGroup;
import java.util.Random;

/** What routing may know, and which calls it never makes. */
@AnalyzeClasses(packages = "io.mainstem.routing", importOptions = ArchitectureTest.MainClasses.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule routingKnowsTheStoreAndNoWire = classes()
            .that()
            .resideInAPackage("io.mainstem.routing..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.slf4j..",
                    "org.jspecify..",
                    "com.google.errorprone.annotations..",
                    "org.jctools..",
                    "org.roaringbitmap..",
                    "com.github.benmanes.caffeine..",
                    "io.mainstem.store..",
                    "io.mainstem.routing..")
            .because("routing knows no wire format except the canonical message");

    @ArchTest
    static final ArchRule routingSeesNoFiles = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.mainstem.store.segment..", "io.mainstem.store.files..", "java.nio.file..")
            .because("blocking calls exist only in the store; routing reaches it through its contract");

    @ArchTest
    static final ArchRule theMessageKnowsNothingOfQueues = classes()
            .that()
            .resideInAPackage("io.mainstem.routing.message..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.slf4j..",
                    "org.jspecify..",
                    "com.google.errorprone.annotations..",
                    "io.mainstem.routing.message..")
            .because("every head and every queue shares the message");

    @ArchTest
    static final ArchRule packagesFormNoCycle =
            slices().matching("io.mainstem.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule timeAndChanceAreInjected = noClasses()
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callConstructor(Random.class)
            .orShould()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .callMethod(Thread.class, "sleep", long.class, int.class)
            .because("time, randomness and waiting are given from outside, so that a simulation can replay them");

    @ArchTest
    static final ArchRule groupsEndAlike = classes()
            .that()
            .areAssignableTo(RecordGroup.class)
            .should()
            .beAssignableTo("io.mainstem.routing.queue.LoggedChange")
            .because("what the log refuses, and what is in doubt, has one policy (ADR 0067)");

    /** Leaves out test classes, in {@code target} and in {@code target/fast}. */
    static final class MainClasses implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/test-classes/");
        }
    }
}
