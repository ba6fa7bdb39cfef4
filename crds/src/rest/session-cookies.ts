/** The cookies of a session: over TLS, and over plain HTTP on this machine alone. */
export const SESSION_COOKIES = { secure: '__Host-gatehouse-session', loopback: 'gatehouse-session' } as const;
