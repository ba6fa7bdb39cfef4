export { shareNodes as setup } from './shared.ts';
