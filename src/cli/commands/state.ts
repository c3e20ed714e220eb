/** `iam state`: the state of a running server as a whole: back to its beginning, out, in, and under names. */
import { readFile, writeFile } from 'node:fs/promises';
