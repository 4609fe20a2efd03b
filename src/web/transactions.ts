// Shapes of the Exactly-once tool's questions. See types.ts for what all questions share.

export {};
