package io.mainstem.conformance.ecosystem;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.arjuna.recovery.RecoveryModule;
import com.arjuna.ats.internal.arjuna.recovery.AtomicActionRecoveryModule;
import com.arjuna.ats.internal.jta.recovery.arjunacore.JTANodeNameXAResourceOrphanFilter;
import com.arjuna.ats.internal.jta.recovery.arjunacore.JTATransactionLogXAResourceOrphanFilter;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.transaction.xa.XAResource;

/** Narayana, as the tests use it: one journal for all that run in this JVM, and recovery when they say so. */
final class ManagerOfTests {
    private static final String NODE = "test";

    private ManagerOfTests() {}

    private static final class Journal {
        static final Path FOLDER = made();

        private static Path made() {
            try {
                Path folder = Files.createTempDirectory(
                        Files.createDirectories(Path.of("target").toAbsolutePath()), "journal");
                configure(folder);
                return folder;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** The folder of decisions; from the first call on Narayana keeps them there. */
    static Path journal() {
        return Journal.FOLDER;
    }

    /** Before Narayana looks at its settings for the first time. */
    static void configure(Path journal) {
        for (String store : new String[] {null, "communicationStore", "stateStore"}) {
            BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, store)
                    .setObjectStoreDir(journal.toString());
        }
        try {
            arjPropertyManager.getCoreEnvironmentBean().setNodeIdentifier(NODE);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        arjPropertyManager.getCoordinatorEnvironmentBean().setTransactionStatusManagerEnable(false);
        jtaPropertyManager.getJTAEnvironmentBean().setXaRecoveryNodes(List.of(NODE));
        jtaPropertyManager.getJTAEnvironmentBean().setOrphanSafetyInterval(0);
    }

    /** What a manager does when it starts: commits what the journal says is committed, undoes what nobody decided. */
    static void recover(XAResource... resources) {
        XARecoveryModule branches = new XARecoveryModule();
        branches.addXAResourceRecoveryHelper(new XAResourceRecoveryHelper() {
            @Override
            public boolean initialise(String parameter) {
                return true;
            }

            @Override
            public XAResource[] getXAResources() {
                return resources;
            }
        });
        branches.addXAResourceOrphanFilter(new JTATransactionLogXAResourceOrphanFilter());
        branches.addXAResourceOrphanFilter(new JTANodeNameXAResourceOrphanFilter());
        RecoveryManager manager = RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);
        manager.removeAllModules(false);
        manager.addModule(new AtomicActionRecoveryModule());
        manager.addModule(branches);
        // Both passes at once: between those of manager.scan() there is a pause for what is still under way.
        for (int pass = 0; pass < 2; pass++) {
            manager.getModules().forEach(RecoveryModule::periodicWorkFirstPass);
            manager.getModules().forEach(RecoveryModule::periodicWorkSecondPass);
        }
    }
}
