export { type AdminPorts, createAdminListener } from './admin-listener.ts';
export { createDrain, type Drain } from './connections/drain.ts';
export type {
  ListenAddress,
  Listener,
  UpgradedConnection,
  UpgradeHandler,
  UpgradeRefusal,
  UpgradeRequest,
} from './listener.ts';
export { createMainListener, type MainListenerPorts, type MainListenerSettings } from './main-listener.ts';
export type { ManagementAddress } from './management/index.ts';
