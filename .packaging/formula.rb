# Does what Homebrew does with a formula, as far as ours goes: the archive of this platform, its hash, `install`, `test`.
# usage: formula.rb FORMULA DIRECTORY-OF-ARCHIVES PREFIX
require "digest"
require "fileutils"
require "open3"
require "pathname"
require "tmpdir"

formula, archives, prefix = ARGV
PREFIX = Pathname.new(prefix).expand_path

class Place < Pathname
  def install(name)
    mkpath
    FileUtils.cp(name, self)
  end
end

class Formula
  class << self
    attr_reader :said, :tested

    %i[desc homepage version license].each { |word| define_method(word) { |value| (@said ||= {})[word] = value } }
    def on_linux = yield
    def on_macos = nil
    def on_intel = (yield if RbConfig::CONFIG["host_cpu"] == "x86_64")
    def on_arm = (yield if RbConfig::CONFIG["host_cpu"] == "aarch64")
    def url(value) = @said[:url] = value
    def sha256(value) = @said[:sha256] = value
    def test(&block) = @tested = block
  end

  def bin = Place.new(PREFIX / "bin")
  def man1 = Place.new(PREFIX / "share/man/man1").tap(&:mkpath)
  def testpath = @testpath ||= Pathname.new(Dir.mktmpdir)
  def system(*command) = Kernel.system(*command.map(&:to_s)) || raise("#{command} failed")
  def assert_match(wanted, text) = text.include?(wanted) || raise("#{wanted} is not in #{text}")

  def generate_completions_from_executable(*command, shells:)
    shells.each do |shell|
      said, status = Open3.capture2(*command.map(&:to_s), shell.to_s)
      raise "no completions for #{shell}" unless status.success? && said.include?("briefing")
    end
  end

  def shell_output(command)
    said, status = Open3.capture2({ "HOME" => testpath.to_s }, command, chdir: testpath.to_s)
    status.success? ? said : raise("#{command}: #{status}")
  end
end

load formula
described = Briefing
said = described.said
archive = File.join(archives, File.basename(said.fetch(:url)))
raise "the hash is another one" unless Digest::SHA256.file(archive).hexdigest == said.fetch(:sha256)
raise "the address has another version" unless said.fetch(:url).include?("/v#{said.fetch(:version)}/")
Dir.mktmpdir do |dir|
  system("tar", "-xzf", File.expand_path(archive), "-C", dir) || raise("the archive cannot be unpacked")
  # As Homebrew does where an archive holds one directory.
  Dir.chdir(Dir.glob("#{dir}/*").fetch(0)) { described.new.install }
end
described.new.instance_exec(&described.tested)
raise "there is no manual page" unless (PREFIX / "share/man/man1/briefing.1").exist?
