export function charge(cents: number): void {}
