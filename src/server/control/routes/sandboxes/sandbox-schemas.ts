/** Schemas of the sandbox routes. */
import * as z from 'zod';
import { exampleText, optionalText, singleLine } from '../../../../contract/schemas/primitives.ts';
import { sensitive } from '../../../../contract/sensitive.ts';
import { sandboxNamePattern } from '../../../sandboxes/sandboxes.ts';

export const SandboxName = singleLine(64, 'The name of a sandbox')
  .regex(sandboxNamePattern, 'must be 1 to 64 letters, digits or . _ -, and begin with a letter or a digit')
  .meta({ examples: ['checkout'] });

export const SandboxItem = z.strictObject({
  name: exampleText('checkout'),
  baseUrl: exampleText('http://127.0.0.1:8080/s/checkout', 'Base URL of the sandbox'),
  createdAt: exampleText('2026-03-01T12:00:00.000Z'),
  expiresAt: exampleText('2026-03-01T12:00:00.000Z', 'When it is deleted if it receives no request before'),
});

/** A sandbox with its own seed has its own administrators. Their secrets are only in the response that creates it. */
export const CreatedSandbox = SandboxItem.extend({
  adminClientId: optionalText('64b0c0ffee00000000000001', 'The administrator client; with a seed only'),
  adminClientSecret: sensitive(optionalText('c2VjcmV0LW9mLXRoZS1zYW5kYm94', 'Its secret; with a seed only'), 'secret'),
  appClientId: optionalText('64b0c0ffee00000000000002', 'The client that users log in through; with a seed only'),
  adminUser: optionalText('admin', 'The administrator user; with a seed only'),
  adminPassword: sensitive(optionalText('c2VjcmV0LXBhc3N3b3Jk', 'Its password; with a seed only'), 'secret'),
});
