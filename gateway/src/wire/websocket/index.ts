export {
  acceptOf,
  asksForWebSocket,
  handshakeProblem,
  newKey,
  offeredProtocols,
  PROTOCOL_HEADER,
  readAnswer,
  requestHeaders,
} from './handshake.ts';
export { CLOSE, type PeerEnd, type PeerOptions, WebSocketPeer } from './peer.ts';
