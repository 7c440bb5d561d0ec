package io.mainstem.launcher.config;

/** A key and a text as someone wrote them, not yet checked. */
record RawSetting(String key, String text, Origin origin) {}
