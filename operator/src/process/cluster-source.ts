import type { OperatorOptions } from '../config/index.ts';
import type { ClusterSource } from '../runtime/index.ts';

/** Which cluster a program of the operator works on. */
export function sourceOf({ kubeconfig, context }: OperatorOptions): ClusterSource {
  return kubeconfig === undefined ? { inCluster: true } : { kubeConfig: kubeconfig, context };
}
