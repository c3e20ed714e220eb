/** For a run time without a test runner: Bun and Deno. */
import * as library from 'iam-standin';
import { createClient } from 'iam-standin/client';
import { callEverything } from './calls.cjs';

if (createClient !== library.createClient) throw new Error('The client is there twice.');
await callEverything(library);
