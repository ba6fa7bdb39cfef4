export { addressProblem, checkCustomHost, hostProblem, mayReceiveCredentials } from './check-host.ts';
export {
  type ConnectOrigin,
  createHostPolicy,
  type HostOrigin,
  type HostPolicy,
  type HostPolicyOptions,
  type Listener,
} from './policy.ts';
export { createResolver, type LookupAll, type ResolvedAddress } from './resolver.ts';
