/** Schemas of one-time codes and of the device that requests them. */
import * as z from 'zod';
import { sensitive } from '../sensitive.ts';

/** A code as entered. Any text up to the maximum length is accepted and verified. */
export const OtpCode = sensitive(
  z
    .string()
    .max(100, 'must not be longer than 100 characters')
    .meta({ description: 'One-time code', 'x-label': 'One-time code', examples: ['493817'] }),
  'secret',
);

export const ChallengeId = sensitive(
  z
    .string()
    .max(200, 'must not be longer than 200 characters')
    .meta({ examples: ['64b0c0ffee00000000000007'] }),
  'one-time',
);

/** Identifies a device of the user on recovery operations, which have no session. */
export const DeviceTokenId = sensitive(
  z
    .string()
    .max(1000, 'must not be longer than 1000 characters')
    .meta({
      description: 'deviceTokenId from associate-user-device; limits then count by device instead of address',
      examples: ['ZGV2aWNlLXRva2Vu'],
    }),
  'one-time',
);

export const CallerAddress = z
  .string()
  .optional()
  .meta({
    description: 'Address of the browser or device; limits and throttles use it if the client is authenticated',
    examples: ['192.0.2.7'],
  });
