package io.mainstem.jms;

import jakarta.jms.ConnectionMetaData;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/** What this provider is. Thread: any. */
final class MainstemMetaData implements ConnectionMetaData {
    static final MainstemMetaData INSTANCE = new MainstemMetaData();

    private static final int MAJOR = 3;
    private static final int MINOR = 1;

    private final int[] provider = providerVersion();

    private MainstemMetaData() {}

    private static int[] providerVersion() {
        String version = MainstemMetaData.class.getPackage().getImplementationVersion();
        String[] parts = version == null ? new String[0] : version.split("[.-]", -1);
        int[] numbers = new int[2];
        for (int i = 0; i < numbers.length && i < parts.length && parts[i].matches("\\d{1,9}"); i++) {
            numbers[i] = Integer.parseInt(parts[i]);
        }
        return numbers;
    }

    @Override
    public String getJMSVersion() {
        return MAJOR + "." + MINOR;
    }

    @Override
    public int getJMSMajorVersion() {
        return MAJOR;
    }

    @Override
    public int getJMSMinorVersion() {
        return MINOR;
    }

    @Override
    public String getJMSProviderName() {
        return "Mainstem";
    }

    @Override
    public String getProviderVersion() {
        return provider[0] + "." + provider[1];
    }

    @Override
    public int getProviderMajorVersion() {
        return provider[0];
    }

    @Override
    public int getProviderMinorVersion() {
        return provider[1];
    }

    @Override
    public Enumeration<?> getJMSXPropertyNames() {
        return Collections.enumeration(
                List.of("JMSXGroupID", "JMSXGroupSeq", "JMSXDeliveryCount", "JMSXUserID", "JMSXAppID"));
    }
}
