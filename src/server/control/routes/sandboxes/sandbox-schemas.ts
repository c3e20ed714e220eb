/** Schemas of the sandbox routes. */
import * as z from 'zod';
import { exampleText, singleLine } from '../../../../contract/schemas/primitives.ts';
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
