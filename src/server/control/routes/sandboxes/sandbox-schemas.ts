/** Schemas of the sandbox routes. */
import * as z from 'zod';
import { singleLine } from '../../../../contract/schemas/primitives.ts';
import { sandboxNamePattern } from '../../../sandboxes/sandboxes.ts';

export const SandboxName = singleLine(64, 'The name of a sandbox').regex(
  sandboxNamePattern,
  'must be 1 to 64 letters, digits or . _ -, and begin with a letter or a digit',
);

export const SandboxItem = z.strictObject({
  name: z.string(),
  baseUrl: z.string().describe('Base URL of the sandbox'),
  createdAt: z.string(),
  expiresAt: z.string().describe('When it is deleted if it receives no request before'),
});
