package io.mainstem.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.launcher.config.ConfigKey;
import io.mainstem.launcher.config.ConfigKeys;
import io.mainstem.launcher.lifecycle.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Habits of the repository that would be forgotten if they were not tests. */
final class TidyTest {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]+)(#[^)]*)?\\)");
    private static final Pattern LOG_ID = Pattern.compile("\"[^\"\\n]*\\b(MS-\\d{4})\\b");
    private static final Pattern CODE = Pattern.compile("`([^`\\n]+)`");
    private static final Pattern METHOD = Pattern.compile("    void (\\w+)\\(");
    private static final Pattern TYPE = Pattern.compile("(class|interface|record|enum) ([A-Z]\\w*)");
    /** Files whose names look like configuration keys. */
    private static final Set<String> NOT_KEYS = Set.of("store.meta", "amqp.vhost");

    private static final int ADR_LINES_MAX = 40;

    @Test
    void everyRelativeLinkOfTheDocumentsLeadsSomewhere() {
        List<String> dead = new ArrayList<>();
        for (Path document : Repository.files(Repository.ROOT, ".md")) {
            matches(LINK, Repository.read(document))
                    .map(link -> link.group(1))
                    .filter(target -> !target.contains("://") && !target.startsWith("mailto:"))
                    .filter(target -> !Files.exists(document.resolveSibling(target)))
                    .forEach(target -> dead.add(document + " -> " + target));
        }

        assertThat(dead).isEmpty();
    }

    @Test
    void everyTypeThatTheArchitecturePageNamesExists() {
        Set<String> types = Repository.files(Repository.ROOT, ".java").stream()
                .flatMap(source -> matches(TYPE, Repository.read(source)))
                .map(type -> type.group(2))
                .collect(Collectors.toCollection(TreeSet::new));

        Set<String> named = matches(CODE, Repository.read("docs/architecture.md"))
                .map(code -> code.group(1))
                .filter(code -> code.matches("[A-Z][a-z]\\w*"))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(named).hasSizeGreaterThan(10);
        assertThat(types).containsAll(named);
    }

    @Test
    void everyTestThatTheMappingPageNamesExists() {
        Set<String> tests = Repository.files(Repository.ROOT, "Test.java").stream()
                .flatMap(source ->
                        matches(METHOD, Repository.read(source)).map(method -> name(source) + "." + method.group(1)))
                .collect(Collectors.toCollection(TreeSet::new));

        Set<String> named = matches(CODE, Repository.read("docs/conformance/mapping.md"))
                .map(code -> code.group(1))
                .filter(code -> code.matches("\\w+Test\\.\\w+"))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(named).hasSizeGreaterThan(50);
        assertThat(tests).containsAll(named);
    }

    private static String name(Path source) {
        String file = source.getFileName().toString();
        return file.substring(0, file.length() - ".java".length());
    }

    @Test
    void everyLogIdOfTheSourcesIsListedOnceAndEveryListedOneIsUsed() {
        Set<String> used = mainSources().stream()
                .flatMap(source -> matches(LOG_ID, Repository.read(source)))
                .map(id -> id.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        List<String> listed = Repository.read("docs/log-ids.md")
                .lines()
                .filter(line -> line.startsWith("MS-"))
                .map(line -> line.substring(0, line.indexOf(' ')))
                .toList();

        assertThat(listed).containsExactlyElementsOf(used);
    }

    @Test
    void everyLogIdIsInTheRangeOfItsModule() {
        List<String> strays = new ArrayList<>();
        List<String> modules = List.of(
                "",
                "broker-launcher",
                "core-store",
                "routing",
                "transport",
                "protocol-amqp",
                "protocol-mqtt",
                "protocol-jms");
        for (Path source : mainSources()) {
            String module = Repository.ROOT.relativize(source).getName(0).toString();
            matches(LOG_ID, Repository.read(source))
                    .map(id -> id.group(1))
                    .filter(id -> modules.indexOf(module) != Integer.parseInt(id.substring(3, 5)))
                    .forEach(id -> strays.add(id + " in " + source));
        }

        assertThat(strays).isEmpty();
    }

    @Test
    void everyPackageSaysWhatItIsForAndWhoMayUseIt() {
        List<Path> without = mainSources().stream()
                .map(Path::getParent)
                .distinct()
                .filter(folder -> !Files.exists(folder.resolve("package-info.java")))
                .toList();

        assertThat(without).isEmpty();
    }

    @Test
    void everyConfigurationKeyThatTheDocumentsNameExists() {
        Set<String> sections = ConfigKeys.all().stream().map(ConfigKey::section).collect(Collectors.toSet());
        List<String> unknown = Repository.files(Repository.ROOT, ".md").stream()
                .flatMap(document -> matches(CODE, Repository.read(document)))
                .map(code -> code.group(1))
                .filter(code ->
                        code.matches("[a-z]+\\.[a-z-]+") && sections.contains(code.substring(0, code.indexOf('.'))))
                .filter(code -> ConfigKeys.find(code).isEmpty() && !NOT_KEYS.contains(code))
                .toList();

        assertThat(unknown).isEmpty();
    }

    @Test
    void everyExitCodeIsExplained() {
        Set<Integer> explained = matches(Pattern.compile("(?m)^(\\d+) \\|"), Repository.read("docs/operations.md"))
                .map(row -> Integer.valueOf(row.group(1)))
                .collect(Collectors.toSet());

        assertThat(explained)
                .containsAll(
                        Arrays.stream(ExitCode.values()).map(ExitCode::number).toList());
    }

    @Test
    void decisionRecordsAreShortAndNumberedOnce() {
        List<Path> records = Repository.files(Repository.ROOT.resolve("docs/adr"), ".md");

        assertThat(records)
                .isNotEmpty()
                .allSatisfy(file -> assertThat(Repository.read(file).lines()).hasSizeLessThan(ADR_LINES_MAX));
        assertThat(records.stream().map(file -> file.getFileName().toString().substring(0, 4)))
                .allMatch(number -> number.matches("\\d{4}"))
                .doesNotHaveDuplicates();
    }

    private static List<Path> mainSources() {
        return Repository.files(Repository.ROOT, ".java").stream()
                .filter(file -> file.toString().contains("/src/main/java/"))
                .toList();
    }

    private static Stream<MatchResult> matches(Pattern pattern, String text) {
        return pattern.matcher(text).results();
    }
}
