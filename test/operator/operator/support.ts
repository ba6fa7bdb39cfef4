/** What tests of the whole operator share. */
export {
  apply,
  becomes,
  type ConditionView,
  condition,
  documents,
  fleetOf,
  type KubeThing,
  label,
  ours,
  pathOf,
  read,
  remove,
  secret,
} from './objects.ts';
export { kubeconfigOf, type OperatorProcess, type OperatorSetup, startOperator } from './operator-process.ts';
export { type PodProcess, reportPod, runPods } from './pods.ts';
export { entriesIn, entriesServed, publishedTo } from './published.ts';
export { createTenant, endLease, installReferenceGrants, type Stage, type StageOptions, setStage } from './stage.ts';
