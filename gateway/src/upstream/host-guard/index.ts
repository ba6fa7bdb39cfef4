export { addressProblem, checkCustomHost, hostProblem, mayReceiveCredentials } from './check-host.ts';
export { createGuardedConnect, type GuardedConnect, type GuardedConnectOptions } from './connect.ts';
export {
  type ConnectOrigin,
  createHostPolicy,
  type HostOrigin,
  type HostPolicy,
  type HostPolicyOptions,
  type Listener,
} from './policy.ts';
export type { LookupAll, ResolvedAddress } from './resolver.ts';
