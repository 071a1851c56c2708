/**
 * A certificate of localhost and agent.example that is its own authority, good for a hundred years, and its key:
 * `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=localhost
 * -addext subjectAltName=DNS:localhost,DNS:agent.example,IP:127.0.0.1`.
 */
export const CERT = `-----BEGIN CERTIFICATE-----
MIIBqjCCAVCgAwIBAgIUWTEMPgcud6a9vYR7dcEgdJ7LYLgwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEzMDE2NTQwN1oYDzIxMjYxMTA2
MTY1NDA3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQDzF2V+tgDLJgHetXZEwfzrmjzmGTI3O8/HuLCNNQL1Qo0uZboYWMe
pmtG4KDSC5V6USCPv35pN5FUIRcPMy+/o34wfDAdBgNVHQ4EFgQUCcnxArHCilE/
K+ZKvGQgtzMbOywwHwYDVR0jBBgwFoAUCcnxArHCilE/K+ZKvGQgtzMbOywwDwYD
VR0TAQH/BAUwAwEB/zApBgNVHREEIjAggglsb2NhbGhvc3SCDWFnZW50LmV4YW1w
bGWHBH8AAAEwCgYIKoZIzj0EAwIDSAAwRQIhANtj11VmuXVSKAzVj0GbE5YOEpEd
9U4gSmwCFTILKvGtAiBcM1aHuuCGABBqP3F5+9MaL6z7MHbMg6UGFAq0tdsNhQ==
-----END CERTIFICATE-----
`;

export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4wBeZDKM17tPUA/E
nWMYzG1joxpzqGNycs3dDHTt+EqhRANCAAQDzF2V+tgDLJgHetXZEwfzrmjzmGTI
3O8/HuLCNNQL1Qo0uZboYWMepmtG4KDSC5V6USCPv35pN5FUIRcPMy+/
-----END PRIVATE KEY-----
`;
