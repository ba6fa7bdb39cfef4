/** Sidecars for pods that ask for one. */

export type { SidecarOptions } from './container.ts';
export { type Injection, inject } from './inject.ts';
export type { Container, Pod } from './pod.ts';
export { type InjectionView, reviewPod } from './review.ts';
export { selects } from './selects.ts';
export { USER_RANGE_ANNOTATION } from './user.ts';
