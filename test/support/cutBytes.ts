/** Ways in which a network may split the same bytes. The random ones are the same in every run. */
export const cuts: readonly { readonly name: string; cut(bytes: Buffer): Buffer[] }[] = [
  { name: "whole", cut: (bytes) => [bytes] },
  { name: "one byte at a time", cut: (bytes) => cutAt(bytes, () => 1) },
  { name: "at random", cut: (bytes) => cutAt(bytes, seededSteps(7)) },
  { name: "at random once more", cut: (bytes) => cutAt(bytes, seededSteps(2_026)) },
];

function cutAt(bytes: Buffer, nextStep: () => number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = Math.min(bytes.length, start + nextStep());
    pieces.push(bytes.subarray(start, end));
    start = end;
  }
  return pieces;
}

/** Steps of 1 to 40 bytes from a linear congruential generator. */
function seededSteps(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return 1 + (state % 40);
  };
}
