/** `npm run transcripts`: writes the current output of the commands into README.md. */
import { writeFileSync } from 'node:fs';
import { readme, renderReadme } from './transcripts.mjs';

writeFileSync(readme, await renderReadme());
