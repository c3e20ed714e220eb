/** Schemas of the sandbox routes. */
import * as z from 'zod';
import { singleLine } from '../../../../contract/schemas/primitives.ts';
import { sandboxNamePattern } from '../../../sandboxes/sandboxes.ts';

export const SandboxName = singleLine(64, 'The name of a sandbox')
  .regex(sandboxNamePattern, 'must be 1 to 64 letters, digits or . _ -, and begin with a letter or a digit')
  .meta({ examples: ['checkout'] });

export const SandboxItem = z.strictObject({
  name: z.string().meta({ examples: ['checkout'] }),
  baseUrl: z.string().meta({ description: 'Base URL of the sandbox', examples: ['http://127.0.0.1:8080/s/checkout'] }),
  createdAt: z.string().meta({ examples: ['2026-03-01T12:00:00.000Z'] }),
  expiresAt: z.string().meta({
    description: 'When it is deleted if it receives no request before',
    examples: ['2026-03-01T12:00:00.000Z'],
  }),
});
