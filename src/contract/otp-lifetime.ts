/** The lifetime of one-time codes, which the server applies, and the API document and the command state. */

export const otpLifetimeSeconds = 600;

export const otpLifetimeMinutes = otpLifetimeSeconds / 60;
