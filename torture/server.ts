/** Placeholder of the process that the suites start. */
