/** Reads the instructions that the Dockerfile of this project uses. */

/**
 * @typedef {object} Instruction
 * @property {string} name in upper case
 * @property {string} text after the name, on one line
 * @property {string[]} args words of COPY and FROM, or the JSON form of a command
 * @property {string} [as] name of the stage
 * @property {string} [from] stage of a COPY
 * @property {Record<string, string>} [pairs] variables of ENV
 */

/** @returns {Instruction[]} */
export function parseDockerfile(text) {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\s*\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.map(parseLine);
}

function parseLine(line) {
  const [, name = '', text = ''] = /^(\S+)\s*(.*)$/.exec(line.trim()) ?? [];
  return { name, text, args: parseArgs(text), ...parseExtras(name, text) };
}

/** The words after the options, or those of the JSON form. */
function parseArgs(text) {
  const json = /\[.*\]$/.exec(text)?.[0];
  return json === undefined ? text.split(/\s+/).filter((word) => !word.startsWith('--')) : JSON.parse(json);
}

function parseExtras(name, text) {
  if (name === 'FROM') return { as: /\sAS\s+(\S+)$/i.exec(text)?.[1] };
  if (name === 'COPY') return { from: /--from=(\S+)/.exec(text)?.[1] };
  if (name === 'ENV') return { pairs: Object.fromEntries(text.split(/\s+/).map((pair) => pair.split('='))) };
  return {};
}
