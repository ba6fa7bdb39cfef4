/** What the operator is told on its command line and in its environment. */
export { FLAG_NAMES, FLAGS, type Flag, type FlagName, usage } from './flags.ts';
export { clusterSourceOf, type OperatorOptions, parseOptions, type Variables } from './options.ts';
