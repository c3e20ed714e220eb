/** Re-exports inquirer: in the bundle a dynamic import of the package itself has no default export. */
export { default as inquirer } from 'inquirer';
