class Iam < Formula
  desc "Local identity and access management service and its command"
  version "@VERSION@"
  license "MIT"

  on_macos do
    on_arm do
      url "@URL@/iam-@VERSION@-darwin-arm64.tar.gz"
      sha256 "@SHA256 iam-@VERSION@-darwin-arm64.tar.gz@"
    end
    on_intel do
      url "@URL@/iam-@VERSION@-darwin-x64.tar.gz"
      sha256 "@SHA256 iam-@VERSION@-darwin-x64.tar.gz@"
    end
  end
  on_linux do
    on_arm do
      url "@URL@/iam-@VERSION@-linux-arm64.tar.gz"
      sha256 "@SHA256 iam-@VERSION@-linux-arm64.tar.gz@"
    end
    on_intel do
      url "@URL@/iam-@VERSION@-linux-x64.tar.gz"
      sha256 "@SHA256 iam-@VERSION@-linux-x64.tar.gz@"
    end
  end

  def install
    bin.install "bin/iam"
    man1.install Dir["share/man/man1/*"]
    bash_completion.install "share/bash-completion/completions/iam"
    zsh_completion.install "share/zsh/site-functions/_iam"
    fish_completion.install "share/fish/vendor_completions.d/iam.fish"
    doc.install Dir["share/doc/iam/*"]
  end

  service do
    run [opt_bin/"iam", "serve", "--data", var/"iam/store"]
    keep_alive true
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/iam --version").strip
  end
end
