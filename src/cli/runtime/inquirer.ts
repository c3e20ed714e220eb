/** The package of questions, in a file of its own: a dynamic import of the package itself has no default once it is bundled. */
export { default as inquirer } from 'inquirer';
