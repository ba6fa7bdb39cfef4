/** The client formats whose streams the cache can rebuild and replay. */
export type StreamProtocol = 'chat' | 'completion' | 'messages' | 'responses';
