export { startBare } from './bare/start.ts';
export { type Gatehouse, startEarlier, startGatehouse } from './gatehouse/start.ts';
export { startLitellm } from './litellm/start.ts';
export { CHAT_PATH, createPeer, type Missing, type Peer } from './peer.ts';
export { startPortkey } from './portkey/start.ts';
