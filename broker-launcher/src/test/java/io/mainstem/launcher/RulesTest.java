package io.mainstem.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The rules that code and tests cite, and the page that says what they mean. */
@DisplayName("docs/rules.md")
final class RulesTest {
    private static final String PAGE = "docs/rules.md";
    private static final Pattern CITED = Pattern.compile("\\[([ADFJLMRST]-\\d+)]|\\b(mapping \\d+(?:\\.\\d+)?)");
    /** The design of the store, which a reader of the repository does not have. */
    private static final Pattern DESIGN = Pattern.compile("(?<!-)\\bstore[.]md");

    private static final Pattern ROW = Pattern.compile("(?m)^(?:\\[([A-Z]+-\\d+)]|(mapping \\d+(?:\\.\\d+)?)) \\| ");

    @Test
    @DisplayName("says of each rule that is cited what it means, and of no other")
    void holdsExactlyTheRulesThatAreCited() {
        Set<String> cited = new TreeSet<>();
        for (Path source : sources()) {
            cited.addAll(tags(CITED, Repository.read(source)));
        }

        assertThat(tags(ROW, Repository.read(PAGE))).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(cited);
        assertThat(cited).hasSizeGreaterThan(80);
    }

    @Test
    @DisplayName("no comment refers to a document that readers of the repository do not have")
    void nothingRefersToWhatIsNotHere() {
        assertThat(sources().stream()
                        .filter(source ->
                                DESIGN.matcher(Repository.read(source)).find())
                        .toList())
                .isEmpty();
    }

    private static List<Path> sources() {
        List<Path> sources = new ArrayList<>(Repository.files(Repository.ROOT, ".java"));
        sources.addAll(Repository.files(Repository.ROOT.resolve("docs"), ".md"));
        sources.removeIf(source -> source.endsWith(Path.of("rules.md")));
        return sources;
    }

    private static List<String> tags(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(RulesTest::tag).collect(Collectors.toList());
    }

    private static String tag(MatchResult match) {
        return match.group(1) == null ? match.group(2) : match.group(1);
    }
}
