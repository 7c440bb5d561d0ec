package io.mainstem.routing.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.PublishId;
import io.mainstem.routing.message.SectionOffsets;
import io.mainstem.store.MetaChange;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is known of publish ids while groups are under way and some of them fail. */
@DisplayName("[L-9] publish ids that are remembered (ADR 0027)")
final class PublishedIdsTest {
    private static final Envelope ADDRESS = new Envelope(
            "",
            List.of("q"),
            true,
            -1,
            0,
            -1,
            0,
            0,
            "publisher",
            null,
            Envelope.Origin.AMQP_1_0,
            0,
            false,
            SectionOffsets.NONE,
            List.of());

    private final PublishedIds ids = new PublishedIds(new DedupLimits(1, 1, 1_000_000, 1_000));

    private Verdict ask(PublishId id) {
        return ids.ask(PublishKey.of("/", "user", id, ADDRESS), 1000);
    }

    private Claim claim(PublishId id) {
        Verdict verdict = ask(id);
        assertThat(verdict).isInstanceOf(Verdict.New.class);
        return ((Verdict.New) verdict).claim();
    }

    private void stored(PublishId id) {
        claim(id).stored();
    }

    private static PublishId name(String name) {
        return new PublishId.Name(name);
    }

    private static PublishId sequence(String producer, long sequence) {
        return new PublishId.Sequence(producer, sequence);
    }

    @Test
    @DisplayName("what a full disk has refused is new when it comes again")
    void failedIsNew() {
        claim(name("a")).failed();
        claim(sequence("p", 1)).failed();

        assertThat(ask(name("a"))).isInstanceOf(Verdict.New.class);
        assertThat(ask(sequence("p", 1))).isInstanceOf(Verdict.New.class);
    }

    @Test
    @DisplayName("what a failed group was to forget, a later group forgets")
    void forgottenLater() {
        stored(name("old"));
        stored(name("newer"));
        Claim refused = claim(name("refused"));
        List<MetaChange> forgotten = refused.forgotten();
        assertThat(forgotten).hasSize(1);

        refused.failed();

        assertThat(claim(name("next")).forgotten())
                .extracting(MetaChange::key)
                .contains(forgotten.get(0).key());
    }

    @Test
    @DisplayName("a claim of a transaction forgets one other, or its group would not fit the log after a quiet day")
    void oneForEachOfMany() {
        many().forEach(Claim::stored);

        Verdict verdict = ids.askOfMany(PublishKey.of("/", "user", name("of many"), ADDRESS), 1000);

        assertThat(((Verdict.New) verdict).claim().forgotten()).hasSize(1);
        assertThat(claim(name("alone")).forgotten()).hasSize(4);
    }

    private List<Claim> many() {
        return IntStream.range(0, 10).mapToObj(each -> claim(name("n" + each))).toList();
    }

    @Test
    @DisplayName("a name that is stored again while the group fails that was to forget it is not forgotten")
    void aNameThatCameBack() {
        Claim again = comesBack(name("old"), name("newer"));
        again.stored();

        assertThat(ask(name("old"))).isInstanceOf(Verdict.Stored.class);
    }

    @Test
    @DisplayName("a producer that is back while the group fails that was to forget it is not forgotten")
    void aProducerThatCameBack() {
        Claim again = comesBack(sequence("old", 1), sequence("newer", 1));
        again.stored();

        assertThat(ask(sequence("old", 1))).isInstanceOf(Verdict.Stored.class);
    }

    @Test
    @DisplayName("a commit that takes its time does not delete what was published again meanwhile")
    void aLateGroupForgetsNothingThatCameBack() {
        stored(name("old"));
        stored(name("newer"));
        Claim late = claim(name("of a commit that reads dead letters first"));
        Claim again = claim(name("old"));
        again.forgotten();
        again.stored();

        assertThat(late.forgotten())
                .extracting(MetaChange::key)
                .doesNotContain(again.mark().key());
    }

    @Test
    @DisplayName("a publish that was refused, far ahead of all others, takes nothing's place")
    void aRefusedPublishForgetsNothing() {
        stored(sequence("p", 5));

        claim(sequence("p", 100_000)).failed();

        assertThat(claim(name("next")).forgotten()).isEmpty();
        assertThat(ask(sequence("p", 5))).isInstanceOf(Verdict.Stored.class);
    }

    @Test
    @DisplayName("what is published while its producer is forgotten is known when it is stored")
    void aProducerThatIsForgottenMeanwhile() {
        stored(sequence("p", 1));
        Claim underWay = claim(sequence("p", 2));
        stored(sequence("other", 1));
        ask(name("whoever asks next forgets producers above the limit"));

        underWay.stored();

        assertThat(ask(sequence("p", 2))).isInstanceOf(Verdict.Stored.class);
    }

    @Test
    @DisplayName("issue 12 line 10: when all users together have too much, who has most forgets the oldest")
    void allUsersShareARoom() {
        PublishedIds shared = new PublishedIds(new DedupLimits(100, 100, 1_000_000, 60));
        for (int i = 0; i < 10; i++) {
            store(shared, "honest", "h" + i, 1000);
        }
        for (int i = 0; i < 90; i++) {
            store(shared, "flood", "f" + i, 1001 + i);
        }
        for (int user = 0; user < 1_000; user++) {
            store(shared, "one of many " + user % 20, "m" + user, 2000 + user);
        }

        assertThat(shared.size()).isBetween(50, 61);
        assertThat(shared.ask(PublishKey.of("/", "flood", name("f0"), ADDRESS), 3000))
                .isInstanceOf(Verdict.New.class);
        assertThat(shared.ask(PublishKey.of("/", "honest", name("h9"), ADDRESS), 3000))
                .isInstanceOf(Verdict.Stored.class);
    }

    @Test
    @DisplayName("issue 12 line 10: users who are gone for longer than the age are forgotten when others publish")
    void theAbsentAreForgotten() {
        PublishedIds shared = new PublishedIds(new DedupLimits(100, 100, 1_000, 10_000));
        for (int user = 0; user < 50; user++) {
            store(shared, "user " + user, "n", 1000);
        }
        int deleted = 0;
        for (int i = 0; i < 120; i++) {
            Claim claim = store(shared, "other", "o" + i, 9000);
            deleted += claim.forgotten().size();
        }

        assertThat(shared.users()).isEqualTo(1);
        assertThat(deleted).as("keys deleted from the store").isGreaterThanOrEqualTo(50);
    }

    private static Claim store(PublishedIds shared, String user, String name, long nowMs) {
        Verdict verdict = shared.ask(PublishKey.of("/", user, name(name), ADDRESS), nowMs);
        Claim claim = ((Verdict.New) verdict).claim();
        claim.stored();
        return claim;
    }

    /** @return claim of the first one again, whose key no later group may delete */
    private Claim comesBack(PublishId first, PublishId second) {
        stored(first);
        stored(second);
        Claim refused = claim(name("refused"));
        assertThat(refused.forgotten()).hasSize(1);
        Claim again = claim(first);
        assertThat(refused.forgotten())
                .extracting(MetaChange::key)
                .containsExactly(again.mark().key());

        refused.failed();

        assertThat(claim(name("next")).forgotten())
                .extracting(MetaChange::key)
                .doesNotContain(again.mark().key());
        return again;
    }
}
