/** Schemas of one-time codes and of the device that requests them. */

import { otpLifetimeSeconds } from '../otp-lifetime.ts';
import { sensitive } from '../sensitive.ts';
import { lifetimeText, optionalText, textUpTo } from './primitives.ts';

/** A code as entered. Any text up to the maximum length is accepted and verified. */
export const OtpCode = sensitive(
  textUpTo(100).meta({ description: 'One-time code', 'x-label': 'One-time code', examples: ['493817'] }),
  'secret',
);

export const OtpLifetime = lifetimeText('Lifetime of the code in seconds, as a string of digits', otpLifetimeSeconds);

export const ChallengeId = sensitive(textUpTo(200).meta({ examples: ['64b0c0ffee00000000000007'] }), 'one-time');

/** Identifies a device of the user on recovery operations, which have no session. */
export const DeviceTokenId = sensitive(
  textUpTo(1000).meta({
    description: 'deviceTokenId from associate-user-device; limits then count by device instead of address',
    examples: ['ZGV2aWNlLXRva2Vu'],
  }),
  'one-time',
);

export const CallerAddress = optionalText(
  '192.0.2.7',
  'Address of the browser or device; limits and throttles use it if the client is authenticated',
);
