package io.mainstem.benchmarks;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Benchmarks may use whatever they measure; their own packages stay free of cycles. */
@AnalyzeClasses(packages = "io.mainstem.benchmarks", importOptions = ArchitectureTest.MainClasses.class)
final class ArchitectureTest {
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
