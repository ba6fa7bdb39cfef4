/** Flags and environment variables of the operator. */
export { FLAG_NAMES, FLAGS, type Flag, type FlagName, usage } from './flags.ts';
export { clusterSourceOf, type OperatorOptions, parseOptions, type Variables } from './options.ts';
export { SESSION_BOUNDS } from './session-bounds.ts';
