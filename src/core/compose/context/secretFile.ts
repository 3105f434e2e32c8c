/** Names of files that usually hold keys, tokens or passwords. */
const secretNames: readonly RegExp[] = [
  /^\.env(?:\.(?!example$|sample$|template$|dist$).*)?$/,
  /\.env$/,
  /^\.envrc$/,
  /^\.(?:npmrc|pypirc|netrc|htpasswd|pgpass|git-credentials|dockercfg)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|ovpn|tfstate|tfvars)$/,
  /^(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|xml|txt|properties))?$/,
  /^(?:kubeconfig|service-?account.*\.json|.*\.agekey)$/,
];

/** Whether a file of this path usually holds secrets: it is attached only by a knowing user. */
export function isSecretFile(path: string): boolean {
  const name = path.split(/[/\\]/).at(-1)?.toLowerCase() ?? "";
  return secretNames.some((pattern) => pattern.test(name));
}
