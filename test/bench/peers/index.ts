export { startBare } from './bare/start.ts';
export type { Features } from './gatehouse/entries.ts';
export { type Image, servedVersion, startImage, writeMountedCopy } from './gatehouse/image.ts';
export { type Gatehouse, startEarlier, startGatehouse, upstreamUrl } from './gatehouse/start.ts';
export { startLitellm } from './litellm/start.ts';
export { startNginxProxy } from './nginx/start.ts';
export { CHAT_PATH, createPeer, type Missing, type Peer } from './peer.ts';
export { startPortkey } from './portkey/start.ts';
