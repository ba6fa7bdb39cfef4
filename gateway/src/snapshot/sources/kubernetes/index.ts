export { createKubernetesSource, type KubernetesSourceSettings } from './kubernetes-source.ts';
