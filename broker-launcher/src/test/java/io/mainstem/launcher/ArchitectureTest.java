package io.mainstem.launcher;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The arrows between all modules, seen from the only one that sees them all. */
@AnalyzeClasses(packages = "io.mainstem", importOptions = ArchitectureTest.MainClasses.class)
final class ArchitectureTest {
    @ArchTest
    static final ArchRule arrowsPointDown = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("launcher")
            .definedBy("io.mainstem.launcher..")
            .layer("amqp")
            .definedBy("io.mainstem.amqp..")
            .layer("transport")
            .definedBy("io.mainstem.transport..")
            .layer("routing")
            .definedBy("io.mainstem.routing..")
            .layer("store")
            .definedBy("io.mainstem.store..")
            .whereLayer("launcher")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("amqp")
            .mayOnlyBeAccessedByLayers("launcher")
            .whereLayer("transport")
            .mayOnlyBeAccessedByLayers("launcher", "amqp")
            .whereLayer("routing")
            .mayOnlyBeAccessedByLayers("launcher", "amqp")
            .whereLayer("store")
            .mayOnlyBeAccessedByLayers("launcher", "routing");

    @ArchTest
    static final ArchRule packagesFormNoCycle =
            slices().matching("io.mainstem.(**)").should().beFreeOfCycles();

    /** Leaves out test classes, in {@code target} and in {@code target/fast}, and those of other modules. */
    static final class MainClasses implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/test-classes/") && !location.contains("-tests.jar");
        }
    }
}
