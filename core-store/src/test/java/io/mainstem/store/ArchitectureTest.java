package io.mainstem.store;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Random;

/** What the store may know, and which calls it never makes. */
@AnalyzeClasses(packages = "io.mainstem.store", importOptions = ArchitectureTest.MainClasses.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule storeKnowsBytesAndFilesOnly = classes()
            .that()
            .resideInAPackage("io.mainstem.store..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "java..",
                    "org.slf4j..",
                    "org.jspecify..",
                    "com.google.errorprone.annotations..",
                    "org.jctools..",
                    "org.roaringbitmap..",
                    "com.sun.nio.file..",
                    "io.mainstem.store..")
            .because("the store knows no protocol and no exchange");

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

    /** Leaves out test classes, in {@code target} and in {@code target/fast}. */
    static final class MainClasses implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/test-classes/");
        }
    }
}
