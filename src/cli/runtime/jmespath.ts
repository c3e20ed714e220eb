/** The package of queries, in a file of its own: only runs with --query load it. */
export { compile, TreeInterpreter } from '@jmespath-community/jmespath';
