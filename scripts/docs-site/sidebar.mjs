/** The sidebar of the site: the table of the section Documentation of README.md, so that pages are listed once. */
import { posix } from 'node:path';

/**
 * @param {string} readme the text of README.md
 * @param {(file: string) => string} readTitle returns the heading of a page
 * @returns {{ text: string, items: { text: string, link: string }[] }[]}
 */
export function createSidebar(readme, readTitle) {
  const [, documentation = ''] = readme.split('\n## Documentation\n');
  const rows = documentation.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| To '));
  return rows.map((row) => {
    const [, task = '', pages = ''] = row.split('|').map((cell) => cell.trim());
    const files = [...pages.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, file = '']) => file);
    return { text: capitalize(task), items: files.map((file) => ({ text: readTitle(file), link: toPagePath(file) })) };
  });
}

/** The path of a page in the site: those of docs/ are at its root. */
export function toPagePath(file) {
  const { dir, name } = posix.parse(file.replace(/^docs\//, ''));
  return `/${posix.join(dir, name === 'README' ? 'index' : name)}`;
}

function capitalize(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
