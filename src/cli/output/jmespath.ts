/** Re-exports jmespath, which only runs with --query load. */
export { compile, TreeInterpreter } from '@jmespath-community/jmespath';
