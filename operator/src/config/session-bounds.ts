/** How long sessions of people may last, and how long they usually do. */
export const SESSION_BOUNDS = {
  sessionHours: { min: 1, max: 720, usual: 12 },
  idleMinutes: { min: 5, max: 1_440, usual: 60 },
} as const;
