export { type AdminPorts, createAdminListener } from './admin.ts';
export { createMainListener, type MainListenerPorts, type MainListenerSettings } from './app.ts';
export { createDrain, type Drain } from './drain.ts';
export type {
  ListenAddress,
  Listener,
  UpgradedConnection,
  UpgradeHandler,
  UpgradeRequest,
} from './listener.ts';
