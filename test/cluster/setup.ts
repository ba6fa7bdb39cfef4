export { shareControlPlane as setup } from './shared.ts';
